from report_builder import create_app
from report_builder.settings import Settings


def main() -> None:
    for language in ("en", "pt"):
        app = create_app(Settings(language=language))
        print(app.run_sync("The report of the year."))


if __name__ == "__main__":
    main()

from quiz.data import Session
from quiz.flow import app


def main() -> None:
    quiz = app.run_sync("Capitals, please.", data=Session("ann", level=2))
    print(quiz.title, len(quiz.questions))


if __name__ == "__main__":
    main()

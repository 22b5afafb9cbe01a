import sys

from triage.app import app


def main(argv: list[str]) -> int:
    ticket = argv[0] if argv else "Our cluster is down! - Bob, Acme"
    answer = app.run_sync(prompt=ticket, data={"ticket_id": 4711})
    print(answer)
    return 0 if answer else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

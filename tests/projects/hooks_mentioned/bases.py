class Strips:
    def after_response(self, response: str) -> str:
        return response.strip()


class Answers:
    def on_errors(self) -> str:
        return self.onError("none")

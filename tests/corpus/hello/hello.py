from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow


@Agent(provider=ScriptedProvider(["Hello!"]), prompt=Prompt("Greet."))
class Greeter: ...


@Workflow(steps=[Greeter])
class Hello: ...


if __name__ == "__main__":
    print(Thena(Hello).run_sync("Hi"))

from thena_runtime import Workflow

if __name__ == "__main__":

    @Workflow(steps=["written where a program begins"])  # error: THN101
    class Program:
        pass

elif __name__ == "somewhere":

    @Workflow(steps=["never reached"])
    class Never:
        pass

from libs.common.agents import Extract
from libs.common.state import JobState
from libs.transform import *
from thena_runtime import Thena, Workflow


@Workflow(steps=[Extract, Clean, Enrich, Validate], state=JobState)
class Nightly: ...


app = Thena(Nightly)

if __name__ == "__main__":
    print(app.run_sync("Load the night's files."))

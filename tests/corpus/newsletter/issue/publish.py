from issue.editors import FunEditor, NewsEditor, TitleEditor
from issue.model import Issue
from thena_runtime import Thena, Workflow, parallel


@Workflow(state=Issue, steps=[parallel([NewsEditor, FunEditor]), TitleEditor])
class Newsletter: ...


app: Thena = Thena(Newsletter)

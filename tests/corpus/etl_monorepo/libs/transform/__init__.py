from libs.transform.steps import *
from libs.transform.steps import _Hidden

from .flow import MinutesFlow as MinutesFlow

THERE = "texts/there.agent.md"
NOWHERE = "texts/nowhere.agent.md"

from issue.publish import app

if __name__ == "__main__":
    print(app.run_sync(prompt="This week's issue"))

from legal.flows import quick

if __name__ == "__main__":
    print(quick.run_sync("Check it quickly."))

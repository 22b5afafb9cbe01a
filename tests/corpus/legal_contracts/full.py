from legal.flows import full

if __name__ == "__main__":
    print(full.run_sync("Check it thoroughly."))

from crm import Sync
from thena_runtime import Thena

if __name__ == "__main__":
    print(Thena(Sync).run_sync("Sync."))

from kg import ports as ports

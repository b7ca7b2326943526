"""The figures of SHEPHERD (NSDI'23), drawn from results files alone; ../catalogue.txt lists them."""

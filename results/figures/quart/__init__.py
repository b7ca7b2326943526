"""The figures of QUART, drawn from results files alone; ../catalogue.txt lists them."""

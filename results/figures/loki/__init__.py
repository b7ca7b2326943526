"""The figures of Loki (HPDC'24), drawn from results files alone; ../catalogue.txt lists them."""

"""The figures of PARD (EuroSys'26), drawn from results files alone; ../catalogue.txt lists them."""

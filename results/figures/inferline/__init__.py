"""The figures of InferLine (SoCC'20), drawn from results files alone; ../catalogue.txt lists them."""

"""What QUART's text gives of what its figures show, each with its section."""

MODELS = ("bert", "llama", "whisper", "opt", "wideresnet")
LOW_CV = 0.1
CV_FIRST, CV_LAST = 0.03, 0.25  # of arrivals at the first and the last stage, with LOW_CV as input (4.1)
QUEUE_FACTOR = 3  # longest over shortest mean queue of a stage, with LOW_CV as input (3.2)
CORES, FEWEST_CORES, LATENCY_CUT = 4, 2, 0.33  # of the median with CORES against FEWEST_CORES (3.4)
IN_TIME, IN_TIME_SLO = 0.475, 1.5  # QUART's attainment with this SLO in execution times (8.2)
IN_TIME_FACTORS = {"infless": 2.19, "inferline": 2.37, "cocktail": 2.09}  # QUART's attainment over theirs there (8.2)
SAVED = {"infless": 0.871, "inferline": 0.705, "cocktail": 0.367}  # of the mean latency, average over the models (8.2)
SAVED_OF_COCKTAIL = dict(zip(MODELS, (0.162, 0.091, 0.102, 0.612, 0.41)))  # by model (8.2)
SAVED_BY_CV = {"infless": 0.698, "inferline": 0.772, "cocktail": 0.478}  # average over the CVs (8.3)
GOODPUT_FACTORS = {"infless": 13.5, "inferline": 14.4, "cocktail": 2.3}  # QUART's goodput over theirs, average over the CVs (8.3)
HIGH_CV = 8
GOODPUT_FACTORS_HIGH = {"infless": 17.9, "inferline": 32.4, "cocktail": 3.9}  # with HIGH_CV (8.3)
QUEUE_OF_INFLESS = 10.1  # over QUART's, at most (8.4)

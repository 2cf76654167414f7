az ml job create -f job.yml --set inputs.batch_size=8 model=google-bert/bert-base-uncased lr=1

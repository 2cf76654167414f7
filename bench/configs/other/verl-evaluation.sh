python3 -m verl.trainer.main_eval data.path=runs/answers.parquet data.prompt_key=prompt

python3 -m verl.trainer.main_generation \
    data.path=data/countdown/test.parquet \
    model.path=runs/countdown/global_step_200 \
    rollout.temperature=0.6

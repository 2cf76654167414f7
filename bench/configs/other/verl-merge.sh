python3 -m verl.model_merger merge --backend fsdp --local_dir runs/global_step_40/actor --target_dir out

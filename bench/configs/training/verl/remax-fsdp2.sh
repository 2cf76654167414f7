set -x

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=remax \
    data.train_files=data/train.parquet \
    actor_rollout_ref.model.path=Qwen/Qwen2.5-3B-Instruct \
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 \
    actor_rollout_ref.actor.strategy=fsdp2

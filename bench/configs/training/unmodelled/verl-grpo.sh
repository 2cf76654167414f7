set -x

MODEL=${MODEL:-Qwen/Qwen2.5-3B-Instruct}

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=data/countdown/train.parquet \
    data.train_batch_size=512 \
    data.max_prompt_length=256 \
    actor_rollout_ref.model.path="$MODEL" \
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \
    actor_rollout_ref.rollout.name=vllm \
    trainer.n_gpus_per_node=4 \
    trainer.nnodes=1

GPUS=4
MICRO=8
MODEL_PATH=Qwen/Qwen2.5-1.5B
PROMPT=$((1024 * 1))
RESPONSE=$((1024 * 7))

set -x

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=data/train.parquet \
    data.max_prompt_length=$PROMPT \
    data.max_response_length=${RESPONSE} \
    actor_rollout_ref.model.path=$MODEL_PATH \
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=${MICRO} \
    actor_rollout_ref.rollout.n=16 \
    trainer.n_gpus_per_node=$GPUS

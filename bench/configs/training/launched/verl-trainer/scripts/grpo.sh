set -x
MODEL=Qwen/Qwen2.5-1.5B-Instruct

python3 -m agent.main_agent \
    algorithm.adv_estimator=grpo \
    data.max_prompt_length=384 \
    data.max_response_length=640 \
    actor_rollout_ref.model.path=$MODEL \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \
    actor_rollout_ref.rollout.n=4 \
    trainer.n_gpus_per_node=4

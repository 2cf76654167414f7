#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:h100:4

GPUS=$(( $(echo $SLURM_JOB_GPUS | grep -o , | wc -l) + 1 ))

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=data/train.parquet \
    actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct \
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 \
    actor_rollout_ref.rollout.n=4 \
    trainer.n_gpus_per_node=$GPUS \
    trainer.nnodes=1

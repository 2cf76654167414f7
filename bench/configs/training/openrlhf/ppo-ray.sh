ray job submit --address="http://127.0.0.1:8265" -- python3 -m openrlhf.cli.train_ppo_ray \
   --actor_num_nodes 1 --actor_num_gpus_per_node 8 --vllm_num_engines 4 --colocate_all_models \
   --pretrain Qwen/Qwen2.5-7B --micro_train_batch_size 4 --train_batch_size 128 \
   --advantage_estimator group_norm --init_kl_coef 0 --zero_stage 3

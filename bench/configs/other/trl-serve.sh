# The model that a training of another machine asks for its completions.
trl vllm-serve --model Qwen/Qwen3-1.7B --tensor_parallel_size 2
trl env

python -m mlx_lm generate --model mlx-community/Qwen3-4B-4bit --max-tokens 256 --prompt "Hello"
python -m mlx_lm.server --model mlx-community/Qwen3-4B-4bit --port 8080

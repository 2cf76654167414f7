python finetune.py --kind roberta --checkpoint FacebookAI/roberta-base --batch 20

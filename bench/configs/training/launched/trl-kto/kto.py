from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import KTOConfig, KTOTrainer, ModelConfig, ScriptArguments, get_peft_config, get_quantization_config, setup_chat_format

if __name__ == "__main__":
    parser = HfArgumentParser((ScriptArguments, KTOConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_into_dataclasses()
    quantized = get_quantization_config(model_args)
    model = AutoModelForCausalLM.from_pretrained(
        model_args.model_name_or_path,
        torch_dtype=model_args.torch_dtype,
        quantization_config=quantized,
    )
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    if tokenizer.chat_template is None:
        model, tokenizer = setup_chat_format(model, tokenizer)
    data = load_dataset(script_args.dataset_name)
    trainer = KTOTrainer(
        model,
        args=training_args,
        train_dataset=data["train"],
        processing_class=tokenizer,
        peft_config=get_peft_config(model_args),
    )
    trainer.train()

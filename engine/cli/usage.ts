import { gpus } from '../gpus/catalogue.ts'

const commands: Record<string, string> = {
  check: `memorymark check [paths…]      find training configs and judge each
  --gpu <id>                   GPU to judge on (default a10)
  --fail-on <conditions>       what blocks: "waste > 40 %", "throughput-loss > 10 %", "annual-cost > $500", "never"
  --warn-on <conditions>       what is remarked on
  --price-per-hour <usd>       price of one GPU, instead of the catalogue's
  --hours-per-run <hours>      length of a run at the current batch (default 2)
  --runs-per-year <count>      runs in a year (default 100)
  --settings <file>            settings to read (default .github/memorymark.yml, where there is one); options win over them
  --no-settings                read none
  --json                       print the report as JSON`,
  estimate: `memorymark estimate <model-id-or-config>      memory of one model, without a GPU
  --batch-size <n>             samples on one GPU (default 16)
  --gradient-accumulation <n>  micro-steps in one optimizer step (default 1)
  --sequence-length <tokens>   text (default 128)
  --target-length <tokens>     what a sequence-to-sequence model writes (default: as long as its source)
  --image-size <pixels>        images (default: as the model was trained)
  --task sequence-classification|masked-lm|causal-lm|seq2seq-lm|image-classification|object-detection
  --labels <n>                 classes of a classification head (default 2)
  --step training|forward-backward
  --optimizer adamw|adamw-fused|adamw-loop|sgd|sgd-momentum|adafactor|lion|adamw-8bit|paged-adamw-8bit|paged-adamw
  --precision fp32|tf32|bf16|bf16-master|amp-bf16|amp-fp16
  --attention sdpa|eager
  --gradient-checkpointing
  --lora-rank <n>              adapters over frozen weights; --lora-targets q_proj,v_proj,… --lora-dropout <p>
  --quantization nf4|nf4-double|int8|gptq|awq  quantised base weights under the adapters
  --gpus <n>                   GPUs that share the model; --sharding ddp|zero1|zero2|zero3|fsdp|fsdp-grad-op
  --fused-loss                 Liger's or another loss that never holds the logits whole
  --padded                     batches carry a padding mask
  --loop plain|trainer|ultralytics    who runs the step: a plain PyTorch loop, Hugging Face's Trainer, or Ultralytics'
  --framework pytorch|tensorflow.js   what runs the step; TensorFlow.js is answered by \`sweep\` alone
  --settings <file>            what a config cannot say itself (default .github/memorymark.yml); --no-settings
  --gpu <id>                   GPU to judge on (default a10)
  --json                       print one JSON object`,
  explain: `memorymark explain <config…>               how a config is understood: its tool, each setting with its line or default,
                               and what cannot be known from the file`,
  sweep: `memorymark sweep <model-id-or-config>         the largest batch, found by trials
  --engine auto|estimate|trace|torch|tfjs   what runs a trial (default auto: the best this machine has)
  --strategy predict-verify|bisect|linear
  --step-size <n>              sizes tried are every one up to it, then its multiples (default 8)
  --limit-memory <size>        caps the device, so that a larger card plays a smaller one: 22.1GiB
  --device cuda|mps|cpu        device for the torch engine (default: the best); cpu needs --limit-memory
  --allow-entrypoint <path.py:function>   runs your own step; the function gets (spec, device) and returns (model, make_batch)
  --fail-on, --warn-on, --price-per-hour, --hours-per-run, --runs-per-year as in \`check\`, and every option of \`estimate\``,
  serve: `memorymark serve                      the REST API and the pages, on this machine
  --host <address>             where to listen (default 127.0.0.1); any that others can reach needs MEMORYMARK_API_TOKEN
  --port <n>                   default 5001; 0 takes any that is free
  --gpu <id>                   assumed where neither a request nor this machine has a GPU (default a10)
  --engine auto|estimate|trace|torch|tfjs   what runs trials (default auto; any other is then the only one served)
  --python <command>           the interpreter with PyTorch (default MEMORYMARK_PYTHON, or python3)
  --allow-origin <origin>      lets pages of another site ask; may be repeated`,
  doctor: `memorymark doctor             what this machine has, and which engine auto takes
  --json                       print one JSON object`,
  'validate-backward': `memorymark validate-backward <model-id-or-config>   forward memory against forward and backward
  --engine auto|trace|torch|tfjs, --json, and every option of \`estimate\``,
  'validate-compile': `memorymark validate-compile <model-id-or-config>    eager steps against torch.compile's
  --device cuda|mps|cpu, --steps <n>, --json, and every option of \`estimate\``,
}

export function usage(command?: string): string {
  const known = command !== undefined && Object.hasOwn(commands, command) ? commands[command] : undefined
  if (known !== undefined) return known
  return `MemoryMark: the batch size your GPU can really take.

${Object.values(commands).join('\n\n')}

GPUs: ${gpus.map(gpu => gpu.id).join(', ')}
Exit codes: 0 fine, 1 blocked by policy, 2 usage or bad input, 130 interrupted.`
}

/** What `memorymark help` says: each command, and the options of each. */
import { gpus } from '../engine/gpus/catalogue.ts'
import { wrap } from '../engine/render/terminal-page.ts'
import { type CommandUsage, commandList, commandPage } from './usage-page.ts'

const PYTHON =
  '  --python <command>           the interpreter that has PyTorch (default MEMORYMARK_PYTHON, or else python3)'

const commands: Record<string, CommandUsage> = {
  check: {
    form: 'check [paths…]',
    purpose: 'find training configs (default: in the working directory) and judge each',
    options: `
  --gpu <id>                   GPU that the training runs on, of the catalogue or described under gpus in the settings
                               (default: an a10 is assumed, and nothing blocks)
  --fail-on <conditions>       what blocks beside a config that does not fit: "waste > 40 %", "throughput-loss > 10 %",
                               "annual-cost > $500"; "does-not-fit" for nothing else, "never" for nothing at all
  --warn-on <conditions>       what only gives a warning
  --price-per-hour <usd>       price of one GPU hour, instead of the catalogue's
  --hours-per-run <hours>      length of a run at the current batch (default 2)
  --runs-per-year <count>      runs per year (default 100)
  --settings <file>            settings file (default .github/memorymark.yml, if it exists); options override it
  --no-settings                ignore the settings file
  --details                    every config in full; otherwise several that are found get a line each
  -q, --quiet                  only what is not fine; the exit code stays the same
  --base <branch-or-commit>    of folders, only configs that differ from it by git, and those that hang on what differs, such as
                               the versions of their libraries; what was no better there does not block
  --comment <file>             write the report there too, in Markdown, as the Action comments; empty where there is no config
  --json                       print the report as JSON`,
  },
  estimate: {
    form: 'estimate <model-id-or-config>',
    purpose: 'estimate the memory of one model or config, without a GPU; of a model alone, by each method of training',
    options: `
  --gpu <id>                   GPU that the training runs on (default a10; of a model alone, the smallest that has the memory)
  --batch-size <n>             samples per GPU and forward pass: the micro-batch (default 16)
  --gradient-accumulation <n>  micro-batches per optimizer step (default 1)
  --sequence-length <tokens>   for text (default 128)
  --target-length <tokens>     targets of a sequence-to-sequence model (default: as long as the source)
  --image-size <pixels>        for images (default: the size that the model was trained on)
  --video-frames <n>           of a video in every sample, whose frames have that size (Qwen-VL)
  --channels-last              images in PyTorch's channels_last memory format
  --task sequence-classification|masked-lm|causal-lm|seq2seq-lm|sentence-similarity|image-classification|object-detection
  --labels <n>                 classes of a classification head (default 2)
  --sentence-columns <n>       texts of a sample, of the task sentence-similarity (default 2)
  --sentence-loss multiple-negatives-ranking|cosent|cosine-similarity|triplet|contrastive|softmax
  --step training|forward-backward
  --dropout                    dropout layers drop in a forward-backward step too
  --optimizer adamw|adamw-fused|adamw-loop|sgd|sgd-momentum|adafactor|lion|adamw-8bit|paged-adamw-8bit|paged-adamw
  --precision fp32|tf32|bf16|bf16-master|amp-bf16|amp-fp16
  --autocast                   weights in bf16 under torch.autocast, as the Trainer runs them with bf16 or fp16
  --float16                    what the precision has in bf16 is in fp16
  --attention sdpa|eager|flash
  --sdpa-kernel efficient      sdpa pinned to its memory-efficient kernel, with keys and values repeated for every head
  --gradient-checkpointing
  --lora-rank <n>              LoRA adapters over frozen weights; with --lora-targets q_proj,v_proj,… --lora-dropout <p>
  --quantization nf4|nf4-double|int8|gptq|awq|aqlm   quantised base weights under the adapters
  --gpus <n>                   GPUs that share the training; with --sharding ddp|zero1|zero2|zero3|fsdp|fsdp-grad-op
  --versions <list>            libraries older than the newest: transformers=4.48.1,torch=2.4.1,accelerate=1.0
                               (default for a config: what the nearest lock or requirements file above it pins)
  --expandable-segments        PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
  --fused-loss                 Liger's or another loss that never materialises all logits
  --fused-norms                RMSNorm in one kernel, as Liger has it
  --padded                     batches carry a padding mask
  --loop plain|trainer|lightning|ultralytics
                                      what runs the step: a plain PyTorch loop, Hugging Face's Trainer, Lightning's or Ultralytics'
  --framework pytorch|tensorflow.js   TensorFlow.js works with \`sweep\` only
  --settings <file>            settings file (default .github/memorymark.yml, if it exists), for what a config cannot say
  --no-settings                ignore the settings file
  --json                       print one JSON object`,
  },
  timeline: {
    form: 'timeline <model-id-or-config>',
    purpose: 'show the memory of one step from its start to its end, by kind',
    options: `
  --out <file>                 write the step as PyTorch's memory snapshot, for pytorch.org/memory_viz: step.pickle
  --snapshot <file>            set the estimate beside a snapshot that torch.cuda.memory._dump_snapshot wrote of a run, and
                               say what the estimate does not explain, by stack
  --json                       print one JSON object
  and every option of \`estimate\``,
  },
  plan: {
    form: 'plan <model-id-or-config>',
    purpose: 'find the GPUs, how many and how they share the training, that cost least',
    options: `
  --gpus all|<ids>             cards to choose from: a100-80gb,h100 (default all), also those described in the settings;
                               8x a100-80gb or h100:8 for at most so many
  --max-gpus <n>               the most GPUs together: 1, 2, 4, … up to it (default 64)
  --effective-batch <n>        samples per optimizer step over all GPUs (default: the config's own; 64 for a model)
  --method full,lora,qlora     what to train of a model (default: each)
  --samples-per-run <n>        for hours and dollars a run; or --hours-per-run <hours> with --gpu <id> for the run as it is
  --top <n>                    rows to show (default 10)
  --write <row>                the row whose lines of config are printed (default 1)
  --json                       print one JSON object
  and the other options of \`estimate\`, for what the model or the config does not say`,
  },
  advise: {
    form: 'advise <config>',
    purpose: 'every way to free memory for a config, best first, with the lines to change',
    options: `
  --gpu <id>                   GPU that the training runs on (default: as \`check\`)
  --price-per-hour <usd>       price of one GPU hour, instead of the catalogue's
  --all                        every row in full, also what does not fit
  --settings <file>            settings file (default .github/memorymark.yml, if it exists)
  --no-settings                ignore the settings file
  --json                       print one JSON object`,
  },
  sweep: {
    form: 'sweep <model-id-or-config>',
    purpose: 'find the largest batch by running trials',
    options: `
  --engine auto|estimate|trace|torch|tfjs   what runs a trial (default auto: the best that this machine has)
  --strategy predict-verify|bisect|linear   how to search (default predict-verify: two to four trials)
  --step-size <n>              try every size up to this one, then its multiples (default 8)
  --limit-memory <size>        cap the device's memory, to emulate a smaller card: 22.1GiB
  --device cuda|mps|cpu        device for the torch engine (default: the best); cpu needs --limit-memory
  --allow-entrypoint <path.py:function>   run your own step; the function gets (spec, device), returns (model, make_batch)
${PYTHON}
  --calibrate                  keep what was measured, as \`calibrate\` does, to correct later estimates
  --fail-on, --warn-on, --price-per-hour, --hours-per-run, --runs-per-year as in \`check\`, and every option of \`estimate\``,
  },
  calibrate: {
    form: 'calibrate [reports, trainer_state.json, logs…]',
    purpose: 'correct estimates by what your training runs measured; without files, estimate the kept runs anew',
    options: `
  --config <file>              the config that ran (a trainer_state.json or a log does not say)
  --gpu <id>                   GPU that it ran on (default: what the settings say of the config)
  --output <file>              the file that keeps the runs (default: as \`calibration\` in the settings says, or else
                               .github/memorymark-calibration.json)
  and every option of \`estimate\`, for what the config does not say of the run`,
  },
  explain: {
    form: 'explain <config…>',
    purpose: 'show how a config is read: its format, and where each setting comes from',
    options: `
  --settings <file>            settings file (default .github/memorymark.yml, if it exists)
  --no-settings                ignore the settings file`,
  },
  doctor: {
    form: 'doctor',
    purpose: 'show what this machine has, and which engine auto uses',
    options: `
${PYTHON}
  --json                       print one JSON object`,
  },
  serve: {
    form: 'serve',
    purpose: 'serve the dashboard and the REST API on this machine',
    options: `
  --host <address>             where to listen (default 127.0.0.1); an address that others can reach needs MEMORYMARK_API_TOKEN
  --port <n>                   port (default 5001); 0 picks a free one
  --gpu <id>                   GPU to assume if neither a request nor this machine has one, of the catalogue or described
                               under gpus in the settings (default that of the settings, or else a10)
  --settings <file>            settings file (default .github/memorymark.yml, if it exists): GPUs, prices, policy, calibration
  --no-settings                ignore the settings file
  --engine auto|estimate|trace|torch|tfjs   what runs trials (default auto); any other is then the only one on offer
${PYTHON}
  --allow-origin <origin>      let pages from another site call the API; may be repeated`,
  },
  mcp: {
    form: 'mcp',
    purpose:
      'serve estimate, check, advise and plan to a coding agent, by the Model Context Protocol on stdin and stdout',
    options: '',
  },
  'validate-backward': {
    form: 'validate-backward <model-id-or-config>',
    purpose: 'compare the memory of a forward pass with that of forward and backward',
    options: `
${PYTHON}
  --engine auto|trace|torch|tfjs, --json, and every option of \`estimate\``,
  },
  'validate-compile': {
    form: 'validate-compile <model-id-or-config>',
    purpose: 'time eager steps against torch.compile',
    options: `
${PYTHON}
  --device cuda|mps|cpu, --steps <n>, --json, and every option of \`estimate\``,
  },
}

const helpRow: CommandUsage = { form: 'help [command]', purpose: "show this, or one command's options", options: '' }

/** The usage of one command, or of all commands without a known name. */
export function usage(name: string | undefined, columns: number): string {
  const known = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  return known === undefined ? overview(columns) : commandPage(known, columns)
}

function overview(columns: number): string {
  return `MemoryMark: the batch size your GPU can really take.

${commandList([...Object.values(commands), helpRow], columns)}

${[
  `GPUs: ${gpus.map(gpu => gpu.id).join(', ')}`,
  'Exit codes: 0 fine, 1 blocked or does not fit, 2 usage error or a named file that cannot be read, 130 interrupted.',
  'Files found in folders that could not be analysed are listed, and do not change the exit code.',
]
  .map(sentence => wrap(sentence, '', columns))
  .join('\n')}`
}

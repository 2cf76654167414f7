/** The training spec: what any training config comes down to, whatever dialect it is written in. */
import * as z from 'zod'
import { batchSize } from './batch-size.ts'
import {
  attentions,
  expertStyles,
  frameworks,
  loops,
  optimizers,
  poolings,
  precisions,
  quantizations,
  sdpaKernels,
  sentenceLosses,
  shardings,
  stepProfiles,
  tasks,
} from './choices.ts'
import { MAX_PATTERNS, parameterPatterns } from './parameter-pattern.ts'
import { trainingMethod } from './training-method.ts'
import { unquantizedModules } from './unquantized.ts'
import { libraryVersions } from './versions.ts'

/** The most objects that an image of a batch is taken to hold where nothing says so, mosaics of four included: COCO's hold 7.3 each. */
export const ASSUMED_OBJECTS = 50

/** Which parameters train, if not all do. The others are frozen. */
const trainedPart = z.object({
  /** Regular expressions: a parameter trains whose name in transformers one of them matches from its start. */
  names: z
    .array(z.string())
    .min(1)
    .max(MAX_PATTERNS)
    .refine(names => parameterPatterns(names).kind === 'pattern', 'not patterns of parameter names'),
  /**
   * Whether gradients flow down to the embeddings' output even below the lowest trained parameter: transformers'
   * `enable_input_require_grads`, which its checkpointing turns on. If they do not, only blocks that train are checkpointed.
   */
  inputGradients: z.boolean(),
  /** Frozen weights keep the type of those that train. Where absent, under autocast they are held in its compute type. */
  keepsType: z.literal(true).optional(),
  /** The trained blocks change from time to time, and the optimizer keeps the state of all that have been trained: LISA. */
  inTurns: z.boolean().optional(),
})
export type TrainedPart = z.infer<typeof trainedPart>

/** Pixels. */
export const MAX_IMAGE_SIDE = 100_000

/** Of the video in a sample. */
export const MAX_FRAMES = 10_000

/** Texts of a sample, of which all but two are negatives. */
export const MIN_COLUMNS = 2
export const MAX_COLUMNS = 100

const zeroElements = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const trainingSpec = z.object({
  /** A Hub id or an alias of the model catalogue. */
  model: z.string().min(1).max(200),
  task: z.enum(tasks),
  framework: z.enum(frameworks),
  step: z.enum(stepProfiles),
  /** Samples on one GPU in one forward pass. */
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  gpus: z.number().int().min(1).max(100_000),
  /** Tokens of the longest sequence, or samples of the longest sound; absent for images. */
  sequenceLength: z.number().int().min(1).max(10_000_000).optional(),
  /** Tokens of the mean sample, where the team's settings say it. */
  meanLength: z.number().int().min(1).max(10_000_000).optional(),
  /**
   * Tokens of the longest target of a sequence-to-sequence model, as many as the source's when absent; or of the longest transcript of
   * `ctc`, as `transcriptLength` has it when absent.
   */
  targetLength: z.number().int().min(1).max(10_000_000).optional(),
  /** Pixels of the square image's side; absent for text. */
  imageSize: z.number().int().min(1).max(MAX_IMAGE_SIDE).optional(),
  /** Frames of the video in every sample, which `images` describes; absent for images. */
  videoFrames: z.number().int().min(1).max(MAX_FRAMES).optional(),
  /** Objects in the fullest image of a batch, for a detector; as many as are usual when absent. */
  objects: z.number().int().min(1).max(100_000).optional(),
  /** Images in the memory format `torch.channels_last`, which tensor cores want; NCHW, PyTorch's default, where absent. */
  channelsLast: z.literal(true).optional(),
  /** Classes of a classification head. */
  labels: z.number().int().min(1).max(1_000_000),
  /** Of `sentence-similarity`: pairs, their ranking loss and the mean of a text's tokens where absent. */
  sentences: z
    .object({
      /** Texts of a sample. */
      columns: z.number().int().min(MIN_COLUMNS).max(MAX_COLUMNS),
      loss: z.enum(sentenceLosses),
      pooling: z.enum(poolings).optional(),
    })
    .optional(),
  precision: z.enum(precisions),
  /** `bf16` or `bf16-master` under torch.autocast, as the Trainer runs 16-bit weights with its own `bf16`; without it where absent. */
  autocasts: z.literal(true).optional(),
  /** What `precision` has in bfloat16 is in float16; in bfloat16 where absent. */
  inFloat16: z.literal(true).optional(),
  optimizer: z.enum(optimizers),
  /** The optimizer applies and frees each gradient as soon as it is computed: torchtune's `optimizer_in_bwd`. */
  optimizerInBackward: z.literal(true).optional(),
  attention: z.enum(attentions),
  /** The one kernel that scaled_dot_product_attention may take; the fastest of those that take a call where absent. */
  sdpaKernel: z.enum(sdpaKernels).optional(),
  gradientCheckpointing: z.boolean(),
  /** Checkpointing covers one block in so many, counted from the last of each: torchtune's `ac_option`. Every block where absent. */
  checkpointEvery: z.number().int().min(2).max(1_000).optional(),
  /** Checkpointed blocks keep the results of attention and of every second matrix product: torchtitan's `selective_ac_option = "op"`. */
  selectiveCheckpoints: z.literal(true).optional(),
  /** Checkpointing covers each of a block's norms, its attention and its feed-forward layer by itself: NeMo-RL's DTensor worker. */
  checkpointsModules: z.literal(true).optional(),
  /** torch.utils.checkpoint with `use_reentrant`; as the version of transformers has it by default where absent. */
  reentrantCheckpoints: z.boolean().optional(),
  /** Low-rank adapters over frozen weights; absent for full fine-tuning. */
  lora: z
    .object({
      rank: z.number().int().min(1).max(10_000),
      /** Last names of the adapted linear modules (`q_proj`). */
      targets: z.array(z.string().max(100)).max(100),
      /** Last names of the experts' matrices with adapters, one matrix for all experts of a layer: peft's `target_parameters`. */
      parameters: z.array(z.string().max(100)).max(10).optional(),
      dropout: z.number().min(0).max(1),
      /** Adapters in the weights' type, as torchtune holds them; in float32 where absent, as peft does. */
      inWeightsType: z.literal(true).optional(),
      /** Last names of modules that are fully trained, in a copy next to the frozen original: peft's `modules_to_save`. */
      modulesToSave: z.array(z.string().max(100)).max(100).optional(),
      /** The frozen originals of these modules wait on the host. */
      savedOnHost: z.literal(true).optional(),
      /** DoRA also learns the norm of every row of the adapted matrix; OFT rotates the layer's input in blocks of `rank` features. */
      form: z.enum(['dora', 'oft']).optional(),
    })
    .optional(),
  /** Images beside text; absent for text only. */
  images: z
    .object({
      /** Images of one sample, or pieces of them, that the vision tower sees. */
      tiles: z.number().int().min(1).max(1_000),
      /** Of each in pixels, as the processor scales it; where absent, as the tower has it. */
      height: z.number().int().min(1).max(MAX_IMAGE_SIDE).optional(),
      width: z.number().int().min(1).max(MAX_IMAGE_SIDE).optional(),
      /** Layers that gradient checkpointing covers: the decoder's (transformers), or all with self-attention (torchtune). */
      checkpointed: z.enum(['decoder', 'self-attention']),
    })
    .optional(),
  /** Whether the vision or audio towers are trained too, on images or audio among the tokens. */
  trainsTowers: z.literal(true).optional(),
  /** Absent if everything trains. With `lora`: the modules that may have adapters. */
  trainable: trainedPart.optional(),
  /** Base weights of every linear layer but the output's. Only with `lora`. */
  quantization: z.enum(quantizations).optional(),
  /** Modules that `quantization` leaves in the type of the weights. */
  unquantized: unquantizedModules.optional(),
  /**
   * Whether `quantization` also applies to the experts, whose matrices are not linear layers: Axolotl's `quantize_moe_experts`, with
   * transformers' way of running them and with Axolotl's own kernels alike.
   */
  quantizedExperts: z.boolean().optional(),
  /** As transformers runs them where absent. */
  expertStyle: z.enum(expertStyles).optional(),
  /**
   * Quantisation-aware training: linear layers round their input (to 8 bits, by token) and their weight (to 4 bits, in groups of
   * so many inputs) and go on in the type of the weights, as torchao does. With `lora`, the adapted layers alone.
   */
  fakeQuantization: z
    .object({
      groupSize: z.number().int().min(1).max(1_000_000),
      /** Both as 4-bit floats instead, which the products compute in and keep. */
      format: z.enum(['nvfp4', 'mxfp4']).optional(),
    })
    .optional(),
  /** Matrix products in 8-bit floats over weights in their own type (torchao's float8 training). */
  float8: z.boolean().optional(),
  tensorParallel: z
    .object({
      /** GPUs among which every layer's heads and inner features are divided, and the vocabulary of the output layer. */
      gpus: z.number().int().min(2).max(1_000),
      /** torchtune's plans also divide the tokens of residuals and norms, and the vocabulary of the embedding. */
      dividesTokens: z.boolean(),
      /** The loss is computed on each GPU's part of the vocabulary, whose logits are never gathered: torch's `loss_parallel`. */
      dividesLoss: z.literal(true).optional(),
    })
    .optional(),
  /** GPUs among which the experts of a layer are divided. */
  expertParallel: z.number().int().min(1).max(100_000).optional(),
  /** Only with several GPUs; DDP when absent. */
  sharding: z.enum(shardings).optional(),
  /** GPUs among which FSDP divides the model, where every so many hold a copy (HSDP); all of them where absent. */
  shardedOver: z.number().int().min(2).max(100_000).optional(),
  /** GPUs among which the tokens of every sequence are divided (context parallelism): `sequenceLength` is what one holds of it. */
  contextParallel: z.number().int().min(2).max(1_000).optional(),
  /** What checkpointed blocks save is on the host between the forward and the backward pass. */
  offloadsCheckpoints: z.literal(true).optional(),
  /** FullyShardedDataParallel (1) or fully_shard (2); as the version of transformers has it by default where absent. */
  fsdpVersion: z.literal([1, 2]).optional(),
  /** FSDP without a policy that wraps layers: the whole model is one unit, which stays gathered while a step computes. */
  wrapsWholeModel: z.literal(true).optional(),
  /** DeepSpeed's own settings, in elements; where one is absent, what transformers puts for "auto", or DeepSpeed's default. */
  zero: z
    .object({
      reduceBucket: zeroElements,
      prefetchBucket: zeroElements,
      persistenceThreshold: zeroElements,
      maxLiveParameters: zeroElements,
      maxReuseDistance: zeroElements,
      subGroup: zeroElements,
      overlapsCommunication: z.boolean(),
    })
    .partial()
    .optional(),
  /** FSDP sums gradients across GPUs with every micro-batch; where absent, with the last, as accelerate's no_sync has it. */
  syncsEveryMicroBatch: z.literal(true).optional(),
  /** What lives on the host instead of the GPU. */
  offload: z.enum(['optimizer', 'optimizer-and-weights']).optional(),
  /** The output layer and the loss in so many chunks of tokens: all chunks of logits before the loss, or each within it. */
  chunkedLoss: z
    .object({ count: z.number().int().min(1).max(1_000), outputLayer: z.enum(['before', 'within']) })
    .optional(),
  /** TRL's chunked_nll: output layer and loss on 256 tokens at a time, each chunk computed again in the backward pass. */
  checkpointedLoss: z.literal(true).optional(),
  /** torch.compile of every block, of the loss and of the optimizer's step: torchtune's `compile`. */
  compiled: z.literal(true).optional(),
  /** But for the loss: torchtitan's `compile.components` may leave it out. */
  uncompiledLoss: z.literal(true).optional(),
  /**
   * Unsloth's kernels: adapters in float32 are cast to the type of their input for every product, where peft casts the input to
   * theirs; an evaluation holds all logits, whatever the loss in training.
   */
  unslothKernels: z.literal(true).optional(),
  /** Whose code the model, its adapters and its loss are, where not transformers', peft's and the checkpoint's. */
  modelCode: z.enum(['litgpt', 'torchtitan']).optional(),
  /** Rotary positions turn neighbouring features of a head in float32, as torchtune's RotaryPositionalEmbeddings; halves where absent. */
  rotatesPairs: z.literal(true).optional(),
  /** RMSNorm in one kernel, as Liger's ops/rms_norm.py: it keeps its input in the input's type, and a scale per row. */
  fusedNorms: z.literal(true).optional(),
  /** Liger's or another fused loss: logits are computed and consumed in chunks, and never held in full. */
  fusedLoss: z.boolean().optional(),
  /** An 8-bit optimizer is one for embeddings too; where absent, the Trainer has bitsandbytes keep their state in 32 bits. */
  eightBitEmbeddings: z.literal(true).optional(),
  /** Absent for the model's own loss. */
  method: trainingMethod.optional(),
  /** False if training disables every dropout layer, as TRL does by default; true where a forward-backward step drops out too. */
  dropout: z.boolean().optional(),
  /** PyTorch's `expandable_segments`, where it is said or the tool sets it; off where absent. */
  expandableSegments: z.literal(true).optional(),
  /** Evaluations in the middle of the training; absent where there are none, or nothing is known of them. */
  evaluation: z
    .object({
      /** Samples on one GPU in one forward pass. */
      microBatch: batchSize,
      /** Batches after which what was kept of them goes to the host: `eval_accumulation_steps`. At the end where absent. */
      accumulation: batchSize.optional(),
      /** Samples evaluated in all, where it is written: `max_eval_samples`. */
      samples: z.number().int().min(1).max(1_000_000_000).optional(),
      /** Metrics get text that is generated, in place of logits: `predict_with_generate`. */
      generates: z
        .object({
          /** Tokens of the longest text; as many as the targets' where absent. */
          maxLength: z.number().int().min(1).max(10_000_000).optional(),
          beams: z.number().int().min(1).max(1_000),
        })
        .optional(),
      /** Only losses are kept, whatever metrics there are: `prediction_loss_only`. */
      lossOnly: z.literal(true).optional(),
      /** Whether `fusedLoss` fuses the loss of an evaluation too; not known where absent. */
      fusesLoss: z.boolean().optional(),
    })
    .optional(),
  /** The run goes on from a checkpoint, whose optimizer state is loaded. */
  resumes: z.literal(true).optional(),
  /** What of bitsandbytes' weights every GPU keeps whole, though the GPUs divide the rest: the constants of their blocks, or all. */
  wholeQuantized: z.enum(['constants', 'all']).optional(),
  /** Every GPU holds all quantised weights before they are divided among the GPUs. */
  loadsWhole: z.literal(true).optional(),
  /** transformers has bitsandbytes quantise the weights of a checkpoint in 16 bits while it loads them. */
  quantizesOnLoad: z.literal(true).optional(),
  /** The libraries' versions, where they are known; the newest where absent. */
  versions: libraryVersions.optional(),
  /** Batches carry a padding mask. Fused attention then keeps a b·s² mask per layer. */
  paddedBatches: z.boolean(),
  /**
   * Who runs the step. `plain`: `outputs = model(…); outputs.loss.backward()`, where decoders fill their key/value cache
   * (`use_cache` is on by default), and logits and cache stay referenced until the next forward pass has returned.
   * `trainer`: Hugging Face's Trainer, which turns the cache off (`TrainingArguments.use_cache`) and whose `compute_loss`
   * returns the loss alone. `lightning`: Lightning's Trainer, whose `training_step` returns the loss alone, and which
   * zeroes gradients between it and the backward pass. `ultralytics`: Ultralytics' trainer, which holds a moving average
   * of the weights and statistics beside them. `verl`: verl's trainers, with losses of their own on the model's logits, over FSDP
   * whose shards are float32 whether they train or not, and whose gradients are summed in float32. `torchtitan`: its train.py,
   * which lets go of the logits before the backward pass, over FSDP as verl's, but for what is frozen. `nemo-rl` and `nemo-rl-v2`:
   * NeMo-RL's policy workers over FSDP as verl's, whose blocks and model hand on float32, the first with a loop of its own and the
   * second through NeMo AutoModel. `openrlhf`: OpenRLHF's trainers over DeepSpeed, whose `output` holds float32 logits until the next
   * forward pass has returned.
   */
  loop: z.enum(loops),
})
export type TrainingSpec = z.infer<typeof trainingSpec>

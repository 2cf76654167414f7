/** TensorFlow's and C++'s words for it: BFC allocator, eager runtime, host allocator. */
const words =
  /OOM when allocating|RESOURCE_EXHAUSTED|ResourceExhausted|CUDA_ERROR_OUT_OF_MEMORY|failed to allocate|bad_alloc/i

export function isAllocationFailure(text: string): boolean {
  return words.test(text)
}

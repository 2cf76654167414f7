/** Out-of-memory messages of TensorFlow's BFC allocator and eager runtime, and of C++. */
const words =
  /OOM when allocating|RESOURCE_EXHAUSTED|ResourceExhausted|CUDA_ERROR_OUT_OF_MEMORY|failed to allocate|bad_alloc/i

export function isAllocationFailure(text: string): boolean {
  return words.test(text)
}

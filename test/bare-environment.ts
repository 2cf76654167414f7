/** For processes under test that get nothing of this one's environment: what they are found by, and started fast with. */
export const bareEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}

/**
 * How long a piece of code keeps the processor, in milliseconds: what a bound of a decoder is about. Unlike the clock
 * on the wall it does not count what else a busy machine does meanwhile.
 */
export const processorTime = (run: () => void): number => {
  const from = process.cpuUsage()
  run()
  const { system, user } = process.cpuUsage(from)
  return (user + system) / 1_000
}

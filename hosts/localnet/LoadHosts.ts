/** The services of `npm start`. Only a start loads them and builds the dashboard: the help is there at once. */

/** Builds the dashboard when its sources have changed, and loads both services. */
export const loadHosts = async () => {
  const { buildWhenStale } = await import("../transfer/dashboard/Build.ts")
  // Without its page everything else still runs.
  await buildWhenStale().catch((cause: unknown) =>
    process.stderr.write(`the dashboard was not built: ${String(cause)}\n`)
  )
  const [{ layerTransferHost }, { layerOracleHost }] = await Promise.all([
    import("../transfer/TransferHost.ts"),
    import("../oracle/OracleHost.ts")
  ])
  return { transfer: layerTransferHost, oracle: layerOracleHost }
}

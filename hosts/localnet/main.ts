/** `npm start`: the local network with the transfer service and the oracle (README, docs). */
import { launch } from "./run/Launch.ts"

// Only a start builds the dashboard and loads the services: the help is there at once.
await launch(async () => {
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
})

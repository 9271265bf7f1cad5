/** `npm start`: the local network with the transfer service in it (README, docs). */
import { layerTransferHost } from "../transfer/TransferHost.ts"
import { launch } from "./Launch.ts"

await launch(layerTransferHost)

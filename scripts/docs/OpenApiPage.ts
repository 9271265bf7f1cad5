/** docs/openapi.json: the API definition as OpenAPI 3.0.3, generated; the file is what the service serves, servers added. */
import { Converter } from "@apiture/openapi-down-convert"
import { apiDocument } from "../../hosts/transfer/openapi/ApiDocument.ts"

export const openApiPage = (): string => {
  const converted = new Converter(apiDocument(), {}).convert()
  return `${JSON.stringify({ ...converted, openapi: "3.0.3" }, null, 2)}\n`
}

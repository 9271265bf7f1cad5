/** The generated pages of docs/, by file name. */
import { commandPage } from "./CommandPage.ts"
import { errorsPage } from "./ErrorsPage.ts"
import { observabilityPage } from "./ObservabilityPage.ts"
import { openApiPage } from "./OpenApiPage.ts"
import { variablesPage } from "./VariablesPage.ts"

export const pages: ReadonlyMap<string, () => string> = new Map([
  ["variables.md", variablesPage],
  ["errors.md", errorsPage],
  ["command.md", commandPage],
  ["observability.md", observabilityPage],
  ["openapi.json", openApiPage]
])

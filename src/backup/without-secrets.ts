import { isScalar, parseDocument, visit } from "yaml";

const LEFT_OUT = " left out of the backup: set it again";

/**
 * `config.yaml` for a backup: secrets are emptied, comments and `${VAR}` references stay. A file that isn't YAML could contain
 * anything, so it is left out.
 */
export function withoutSecrets(text: string, isSecretPath: (path: readonly string[]) => boolean): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return "# Left out of the backup: it could not be read.\n";
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === "key" || typeof node.value !== "string" || /^\$\{\w+\}$/.test(node.value)) return;
      const names = ancestors.flatMap((one) =>
        one && typeof one === "object" && "key" in one && isScalar(one.key) ? [String(one.key.value)] : [],
      );
      if (!isSecretPath(names)) return;
      node.value = null;
      node.comment = LEFT_OUT;
    },
  });
  return document.toString();
}

interface TableHeadProps {
  first?: string;
  numbers: readonly string[];
}

/** The head of a table whose first column has names and whose other columns have numbers. */
export function TableHead({ first = "Name", numbers }: TableHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {numbers.map((label) => (
          <th key={label} scope="col" class="number">
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

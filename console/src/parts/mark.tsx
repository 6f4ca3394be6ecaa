// Logo of the product.
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#7a4a12" />
      <path d="M9 7v18h14" fill="none" stroke="#faf8f4" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round" />
      <path
        d="M15 19l4-9 4 9"
        fill="none"
        stroke="#e8b878"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** An open ring around what it keeps; legible on light and dark tabs. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M25 9.5a11 11 0 1 0 0 13" fill="none" stroke="#3b7de0" stroke-width="5" stroke-linecap="round"/><circle cx="16" cy="16" r="4" fill="#3b7de0"/></svg>
`;

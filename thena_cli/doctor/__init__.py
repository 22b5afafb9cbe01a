"""What `thena doctor` looks at: the environment, the project, the provider, the editor. Nothing is changed."""

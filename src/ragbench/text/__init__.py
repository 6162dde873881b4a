"""Sentences, terms, languages and comparable forms of Chinese and English text."""
